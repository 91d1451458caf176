"""How the site is made of docs/: `make docs`. It is built offline, and a warning is an error."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from nlgauge import __version__

project = "nlgauge"
version = release = __version__
html_title = f"nlgauge {__version__}"
copyright = "the nlgauge authors"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "extension.metric",
    "extension.fields",
    "extension.cards",
    "extension.live",
]
exclude_patterns = ["_build", "extension"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
myst_html_meta = {
    "description": "nlgauge evaluates generated text offline: hallucination detection, faithfulness (groundedness, "
    "factual consistency) of RAG answers and summaries, significance tests, and agreement of metrics with people.",
}

# A block is copied without its prompts and outputs; what a block of `text` shows is not copied at all.
copybutton_selector = "div:not(.highlight-text) > div.highlight pre"
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"

html_theme = "furo"
html_static_path = ["extension/static"]
html_css_files = ["wide.css"]
html_show_sphinx = False
html_copy_source = False
html_show_search_summary = False  # which a page that was opened from disk may not fetch
# Everything is in the folder: no font, script or image comes from elsewhere, and the search works from disk.
html_theme_options = {"top_of_page_buttons": []}

napoleon_numpy_docstring = False  # ours have Google's sections
default_role = "code"
smartquotes = False  # a spec that is copied from a page has to be read
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
pygments_style = "default"
