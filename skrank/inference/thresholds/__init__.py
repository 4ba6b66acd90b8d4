"""At which score does one stop? `ThresholdChoice`.

The settings make an `Aim`, for which a `Choice` is made: of a threshold for items
(`_threshold_of_items`, among the candidates of `_threshold_choice_points`), or of a
depth or a threshold for days (`_choice_of_days`). What can be guaranteed is in
`_guarantee`.
"""
