"""Configuration of the documentation.  The build needs no network."""
from __future__ import annotations

import os
import pathlib
import sys
import warnings

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.utils.math import latex2mathml

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])     # of the notebooks' kernels
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"

import generate  # noqa: E402

import transgrad  # noqa: E402

project = "transgrad"
author = "The transgrad authors"
copyright = "2026, the transgrad authors"
version = release = transgrad.__version__

extensions = [
    "myst_nb", "sphinx.ext.autodoc", "numpydoc", "sphinx.ext.intersphinx", "sphinx.ext.viewcode", "sphinx_design", "sphinx_copybutton",
]
exclude_patterns = ["_build", "inventories", "**.ipynb_checkpoints"]
nitpicky = False

# Pages: MyST Markdown; those with a kernel in their header are executed.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_render_image_options = {"alt": "Plot made by the code above"}

# Reference: docstrings in NumPy's format.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Links to other projects, from inventories that are stored here.
intersphinx_mapping = {
    name: (url, str(HERE / "inventories" / f"{name}.inv"))
    for name, url in {
        "python": "https://docs.python.org/3/",
        "numpy": "https://numpy.org/doc/stable/",
        "scipy": "https://docs.scipy.org/doc/scipy/",
    }.items() if (HERE / "inventories" / f"{name}.inv").exists()
}

html_theme = "furo"
pygments_dark_style = "github-dark"
html_math_renderer = "mathml"
html_title = "transgrad"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_theme_options = {"navigation_with_keys": True}
html_copy_source = False
html_show_sourcelink = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

warnings.filterwarnings("ignore", category=transgrad.TapeFallbackWarning)


def _math(self: object, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which needs neither a script nor a network."""
    as_block = isinstance(node, nodes.math_block)
    tree = latex2mathml.tex2mathml(node.astext(), as_block=as_block)
    self.body.append(f'<div class="math">{tree}</div>' if as_block else str(tree))  # type: ignore[attr-defined]
    raise nodes.SkipNode


class Output(Directive):
    """Printed output of a notebook cell, for readers of the source and for the tests; the page shows that of the kernel."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        return []


def _signature(app: object, what: str, name: str, obj: object, options: object, signature: str | None,
               result: str | None) -> tuple[str | None, str | None] | None:
    """Write ``Callable[..., X]`` as in the source; Sphinx adds brackets."""
    if "Callable[[...]," not in f"{signature}{result}":
        return None
    shown = [text and text.replace("Callable[[...],", "Callable[...,") for text in (signature, result)]
    return shown[0], shown[1]


def setup(app: object) -> None:
    """Generate the pages of the reference, and register the directive."""
    generate.main()
    app.connect("autodoc-process-signature", _signature, priority=100)  # type: ignore[attr-defined]
    app.add_directive("output", Output)  # type: ignore[attr-defined]
    app.add_html_math_renderer("mathml", (_math, None), (_math, None))  # type: ignore[attr-defined]
