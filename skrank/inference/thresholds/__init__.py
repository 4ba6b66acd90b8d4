"""At which score does one stop? `ThresholdChoice`.

The candidates are in `_threshold_choice_points`, and the depth at which a precision or
a recall is guaranteed in `_guarantee`.
"""
