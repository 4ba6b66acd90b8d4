"""The HTML page of a report in a browser, with names that try to break it.

The judge is Chromium, driven by Playwright: it says which scripts ran, what the page
asked for and how wide it is. The tests are skipped where either is absent.
"""

import csv
import shutil

import numpy as np
import pytest

from skrank import RankingReport
from skrank.report._command_line import main

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
HOSTILE = [
    "<script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    '" onmouseover="document.title = \'taken\'" x="',
    "</title></style></svg><b>bold</b>",
    "<a href=\"javascript:document.title='taken'\">click</a>",
    "@import url(http://127.0.0.1:9/a.css); &amp; $x^$ \u202e {0} ${title}",
    " ".join(["a name that is much longer than a line of a telephone"] * 4),
    "unbroken" * 30,
]


@pytest.fixture(scope="module")
def browser():
    """Return the browser; it cannot reach anything."""
    api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


def columns(seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(400) < 20
    return y, {name: rng.normal(1.0 * y) for name in HOSTILE}


def pages(folder):
    """Yield pages: two rankings, many, groups, and a file given to the command."""
    y, scores = columns()
    first = dict(list(scores.items())[:2])
    groups = np.array(HOSTILE)[np.arange(y.size) % 4]
    for number, report in enumerate(
        [
            RankingReport(t=[10, 0.1]).from_predictions(y, first),
            RankingReport().from_predictions(y, scores),
            RankingReport().from_predictions(y, first, groups=groups),
        ]
    ):
        report.to_html(folder / f"{number}.html")
    table = folder / "<img src=x onerror=document.title='taken'>.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["y", *scores])
        writer.writerows(zip(y.astype(int), *scores.values(), strict=True))
    asked = [part for name in scores for part in ("--score", name)]
    out = ["--target", "y", "--html", str(folder / "3.html")]
    assert main(["report", str(table), *asked, *out]) == 0
    return [folder / f"{number}.html" for number in range(4)]


def test_nothing_runs_and_nothing_is_asked_for(browser, tmp_path, capsys):
    for path in pages(tmp_path):
        page = browser.new_page(viewport={"width": 400, "height": 800})
        asked, dialogs = [], []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("dialog", lambda dialog, dialogs=dialogs: dialogs.append(dialog))
        page.goto(path.as_uri())
        for element in page.query_selector_all("svg, img, th"):
            element.hover(force=True)
        assert page.title() != "taken"
        assert page.query_selector_all("script, a[href^=javascript], b") == []
        assert asked == [path.as_uri()]
        assert dialogs == []
        # as wide as the screen: tables scroll by themselves
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        for picture in page.query_selector_all("svg:not([aria-hidden]), img"):
            assert len(picture.get_attribute("alt")) > 40
        page.close()


def test_every_name_can_be_read(browser, tmp_path, capsys):
    y, scores = columns()
    path = tmp_path / "page.html"
    RankingReport().from_predictions(y, scores).to_html(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    text = " ".join(page.inner_text("body").split())
    for name in HOSTILE:
        assert " ".join(name.split())[:30] in text
    page.close()
