"""How results are seen: tables in every form, the page, figures."""
