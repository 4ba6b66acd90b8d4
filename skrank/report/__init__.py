"""Report on one or several rankings: text, tables, HTML page and command.

`_report` asks the questions, and `_result` holds the results by metric
(`_metric_report`). `_conclusion`, `_tables` and `_pictures` show them. `_command_line`
reads a file of scores (`_score_file`), of which a sample may have labels (`_sampled`).
"""
