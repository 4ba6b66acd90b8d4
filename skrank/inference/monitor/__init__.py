"""Did the rankings of days get worse? `RankingMonitor`.

It adds up evidence (`_monitor_evidence`) that holds on every day, and keeps it in a
state that is checked whole (`_monitor_state`).
"""
