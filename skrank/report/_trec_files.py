"""Judgments (qrels) and runs in the formats of TREC, as rankings of queries."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._optional import load
from skrank._utils._text import as_text, brief, in_short
from skrank._utils._warnings import warn
from skrank.metrics._definitions import PrecisionAtT
from skrank.ranking._group_labels import Outside, items_of_groups, take_parts
from skrank.ranking._input import check_ranking_input
from skrank.ranking._ranking import Ranking, rank
from skrank.ranking._rankings import Model, Part, Rankings
from skrank.report._score_file import opened

_QRELS = ("query", "iteration", "document", "relevance")
_RUN = ("query", "Q0", "document", "rank", "score", "tag")


class Runs(NamedTuple):
    """Rankings of several runs, and the shares of their top that were judged.

    `judged` has a mean over the queries of each run for each depth.
    """

    rankings: Rankings
    judged: dict[str, list[float]]


def read_runs(qrels: str, paths: Sequence[str], depths: Sequence[int]) -> Runs:
    """Read runs and the judgments of their documents.

    A relevance above 0 makes a document a target. Documents without a judgment are no
    targets, and targets that a run lacks are missed. The queries are those of the
    judgments that have targets; those of a run that has others are left out.
    """
    polars = load("polars", "files of runs need polars: pip install skrank[report]")
    judged = _table(polars, qrels, _QRELS, "relevance")
    judged = judged.select("query", "document", target=polars.col("relevance") > 0)
    n_targets = judged.group_by("query", maintain_order=True).agg(
        polars.col("target").sum().cast(int)
    )
    queries = dict(n_targets.iter_rows())
    wanted = [one for one, n in queries.items() if n]
    if not wanted:
        raise invalid("--qrels", "contain relevant documents", "none")
    if len(wanted) < len(queries):
        warn(
            f"{len(queries) - len(wanted)} of {len(queries)} queries of the qrels have "
            "no relevant document and are left out. trec_eval counts their values as "
            f"0: its means are {len(wanted)}/{len(queries)} of these.",
            UserWarning,
        )
    judged = judged.filter(polars.col("query").is_in(wanted))
    tables = [_table(polars, path, _RUN, "score") for path in paths]
    columns, shares = [], {}
    for name, path, table in zip(_names(tables, paths), paths, tables, strict=True):
        n_others = len({*table["query"].unique()} - queries.keys())
        if n_others:
            said = f"{n_others} queries of {as_text(path)} are not in the qrels, and"
            warn(f"{said} are left out.", UserWarning)
        run = table.filter(polars.col("query").is_in(wanted)).join(
            judged, on=["query", "document"], how="left", maintain_order="left"
        )
        if not run.height:
            rule = "contain queries of the qrels with relevant documents"
            raise invalid(as_text(path), rule, "none")
        codes = run["query"].replace_strict(wanted, range(len(wanted))).to_numpy()
        items = items_of_groups(codes, len(wanted))
        is_target, scores = run["target"].fill_null(False), run["score"].to_numpy()
        n_found = np.bincount(codes, is_target.to_numpy(), len(wanted)).astype(int)
        missed = np.array([queries[one] for one in wanted]) - n_found
        outside = Outside(wanted, missed, None)
        columns.append(_ranked(is_target.to_numpy(), scores, items, outside))
        is_judged = run["target"].is_not_null().to_numpy()
        returned = _ranked(is_judged, scores, [one for one in items if one.size])
        shares[name] = [
            float(np.mean([_share_of_top(one, t) for one in returned])) for t in depths
        ]
    rows = zip(wanted, zip(*columns, strict=True), strict=True)
    parts = tuple(Part(row, label=query) for query, row in rows)
    return Runs(Rankings(tuple(map(Model, shares)), parts), shares)


def _share_of_top(marks: Ranking, t: int) -> float:
    """Return the share of marked items among the first ones, which may be fewer."""
    return PrecisionAtT(min(t, int(marks.n_samples))).value(marks)


def _ranked(
    is_marked: NDArray[np.bool_],
    scores: NDArray[np.float64],
    items: Sequence[NDArray[np.intp]],
    outside: Outside | None = None,
) -> list[Ranking]:
    """Return the ranking of each query, whose list may end before a cutoff."""
    data = check_ranking_input(is_marked, scores)
    each = take_parts(data, items, outside)
    return [replace(rank(one), several=True) for one in each]


def _names(tables: Sequence[Any], paths: Sequence[str]) -> list[str]:
    """Return the tags of the runs, or their files if these are not distinct."""
    tags = [table["tag"].unique().to_list() for table in tables]
    stems = [Path(path).name.removesuffix(".gz") for path in paths]
    for names in ([" ".join(one) for one in tags if len(one) == 1], stems, [*paths]):
        if len(set(names)) == len(paths):
            return names
    raise invalid("file", "name each run only once", brief(list(paths)))


def _table(polars: Any, path: str, names: Sequence[str], number: str) -> Any:
    """Read a table of texts and one column of numbers, with blanks between cells.

    A run may have more words at the end of a line, as for trec_eval.
    """
    said = "standard input" if path == "-" else as_text(path)
    with opened(path) as file:
        text = file.read()
    if not text.strip():
        raise ValueError(f"{said}: the file must have lines; got none.")
    lines = polars.read_csv(
        text,
        has_header=False,
        separator="\x1f",
        quote_char=None,
        infer_schema=False,
        new_columns=["text"],
    ).with_row_index("line", 1)
    words = polars.col("text").str.strip_chars().str.replace_all(r"\s+", " ")
    table = lines.with_columns(words).filter(polars.col("text").fill_null("") != "")
    cells = polars.col("text").str.splitn(" ", len(names) + 1)
    fields = cells.struct.rename_fields([*names, "more"]).struct.unnest()
    table = table.with_columns(fields)
    kind = polars.Int64 if number == "relevance" else polars.Float64
    table = table.with_columns(polars.col(number).cast(kind, strict=False))
    is_bad = polars.col(number).is_null() | polars.col(names[-1]).is_null()
    is_bad |= ~polars.col(number).is_finite()
    if names is _QRELS:
        is_bad |= polars.col("more").is_not_null()
    wrong = table.filter(is_bad)
    if wrong.height:
        rule = f"each line must contain {', '.join(names)}, with blanks between them"
        got = in_short(wrong["text"][0], 80)
        raise ValueError(f"{said}: {rule}; got {got!r} in line {wrong['line'][0]}.")
    of_pair = ["query", "document"]
    twice = table.filter(polars.struct(of_pair).is_duplicated())
    if twice.height:
        query, document = twice.select(of_pair).row(0)
        rule = "must have one line for each document of a query"
        got = f"several of document {brief(document)} of query {brief(query)}"
        raise ValueError(f"{said}: the file {rule}; got {got}.")
    return table.select(*{*of_pair, number, names[-1]})
