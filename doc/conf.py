"""Configuration of the documentation."""

import sys
from importlib.metadata import metadata
from pathlib import Path

import skrank

sys.path.insert(0, str(Path(__file__).parent))  # for gallery_order

project = "skrank"
author = "the skrank developers"
project_copyright = "2026, the skrank developers"
version = release = skrank.__version__
# the addresses of pyproject.toml
urls = dict(one.split(", ") for one in metadata("skrank").get_all("Project-URL"))

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "literal"
nitpicky = True
nitpick_ignore_regex = [
    # types of numpydoc fields that are words, and names of other projects
    (
        "py:.*",
        r"(sklearn|scipy|numpy|np)\..*|array-like.*|ndarray.*|optional|default.*"
        r"|callable|of .*|shape.*|estimator.*|instance|RandomState|Generator|to .*"
        r"|dtype.*|NDArray.*|ArrayLike|\{.*|\".*|int64|float64",
    ),
]

autosummary_generate = True
toc_object_entries_show_parents = "hide"  # the column is narrow
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "gallery_order.ReadingOrder",
    "doc_module": ("skrank",),
    "backreferences_dir": "api/generated/backreferences",
    "reference_url": {"skrank": None},
    "abort_on_example_error": True,
    "show_memory": False,
    "parallel": True,
    "remove_config_comments": True,
}

plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = [("png", 100)]
plot_include_source = True

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["skrank.css"]
html_title = f"skrank {version}"
# pages without pages below them need no list of these
html_sidebars = {
    name: []
    for name in (
        "changelog",
        "coming_from",
        "faq",
        "getting_started",
        "glossary",
        "index",
        "install",
        "pitfalls",
        "support",
    )
}
html_baseurl = urls["Documentation"]
html_theme_options = {
    "github_url": urls["Source"],
    "navigation_with_keys": False,
    "show_prev_next": False,
    "footer_end": [],
}
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = ">>> "


def drop_mail_links(app, doctree):
    """Make text of links to mail addresses: precision@10 is none."""
    from docutils import nodes  # not where the tests run

    for reference in list(doctree.findall(nodes.reference)):
        if reference.get("refuri", "").startswith("mailto:"):
            reference.replace_self(nodes.Text(reference.astext()))


def setup(app):
    """Register what is done to each page."""
    app.connect("doctree-read", drop_mail_links)
    # it copies files only, and does not say that processes may read beside it
    app.extensions["sphinx-mathjax-offline"].parallel_read_safe = True
