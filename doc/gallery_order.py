"""The order of the examples within their sections."""

from pathlib import Path

ORDER = [
    "rare_digit",
    "search_selection",
    "report",
    "compare_models",
    "precision_recall",
    "lift",
    "daily_alerts",
    "monitor",
    "fraud_inspections",
    "literature_review",
    "active_review",
    "retrieval",
    "docking_scores",
    "medical_screening",
    "rare_class",
    "how_many",
    "from_question_to_decision",
    "null_distribution",
    "folds",
    "patients",
    "ranking_comparison",
    "planning",
    "own_metric",
    "larger_than_memory",
    "dask_backend",
    "lago",
    "average_hit_rate",
    "published_tables",
    "recall_coverage",
]


class ReadingOrder:
    """Sort examples by the list above."""

    def __init__(self, src_dir):
        pass

    def __call__(self, filename):
        """Return the place of an example; an error says that it is not in the list."""
        return ORDER.index(Path(filename).stem.removeprefix("plot_"))
