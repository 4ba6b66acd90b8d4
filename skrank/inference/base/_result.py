"""Base of results: what is printed, shown and exported follows from declared fields."""

from abc import abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from skrank._utils._numbers import number
from skrank._utils._printed import Printed, Shown
from skrank._utils._table import data_frame
from skrank._utils._text import format_size


def printed_field(form: str = "{0}", digits: int = 4, **options: Any) -> Any:
    """Declare a field that is printed under its name; the result is {1} in `form`."""
    return field(metadata={"form": form, "digits": digits}, **options)


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class Result(Printed):
    """What all results have: a metric, a method, and the sizes of the data."""

    #: First line of the printed result; the result is {0}.
    title: ClassVar[str]
    #: What the data are called in print, if they are one ranking of each model.
    unit: ClassVar[str] = "ranking"
    #: Whether a row of the table is for a ranking.
    _of_rankings: ClassVar[bool] = True

    metric: str
    method: str
    n_samples: int
    n_targets: int
    kind: str = "one"
    labels: tuple[Any, ...] = ()
    n_missed: int = 0
    n_clusters: int = 0

    @property
    def n_rankings(self) -> int:
        """Number of rankings, which are groups or folds; 1 for a single ranking.

        Returns
        -------
        n_rankings : int
            Length of `labels`, or 1.
        """
        return max(1, len(self.labels))

    @property
    def _parts(self) -> str:
        """The number of groups or folds, in print."""
        if not self.labels:
            return self.unit
        n = len(self.labels)
        return f"{n} {self.kind.removesuffix('s') if n == 1 else self.kind}"

    @property
    def _mean(self) -> str:
        """What follows a printed mean over several rankings."""
        return " on average" if self.labels else ""

    @property
    def _size(self) -> str:
        """The size of the data, in print."""
        sizes = self.n_samples, self.n_targets, self.n_missed, self.n_clusters
        return format_size(*sizes)

    def _rows(self) -> list[tuple[str, str]]:
        """Return the printed rows: the size of the data, and the declared fields."""
        rows = [(self._parts, self._size)]
        for one in fields(self):
            if one.metadata:
                said = getattr(self, one.name)
                if isinstance(said, float):
                    said = number(said, one.metadata["digits"])
                said = one.metadata["form"].format(said, self)
                rows.append((one.name.replace("_", " "), said))
        return rows

    def _shown(self) -> Shown:
        return Shown(self.title.format(self), self._rows())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields that are numbers or strings, and `n_rankings`.
        """
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        plain = {
            name: value
            for name, value in found.items()
            if name[0] != "_" and isinstance(value, bool | int | float | str)
        }
        return {**plain, "n_rankings": self.n_rankings}

    @abstractmethod
    def _columns(self) -> dict[str, Any]:
        """Return what there is for each row of the table, by column."""

    def to_frame(self) -> Any:
        """Return the values as a pandas data frame.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each ranking. The column "ranking" contains `labels`, or 0 for a
            single ranking. The result of a search has a row for each candidate, in the
            order of the search, so that the table can be joined to ``cv_results_``; the
            column "is_best" marks the winner. The result of a threshold has one row.

        Raises
        ------
        ImportError
            If pandas is not installed; use `to_dict` then.
        """
        labels = {"ranking": list(self.labels or (0,))} if self._of_rankings else {}
        return data_frame({**labels, **self._columns()})
