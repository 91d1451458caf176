"""Are there known advisories against the packages that are installed? Told in one line; skipped, and said so, offline.

    python audit.py PIP-AUDIT FOLDER

PIP-AUDIT is the command of the package pip-audit, FOLDER the site-packages to look at. Ends with 1 where a package has
an advisory, which is named with the version that mends it; with 0 where none has, and where nobody could be asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SECONDS = 120
OURS = ("nlgauge", "nlgauge-base", "nlgauge-lab")


def audited(command: str, folder: str) -> list[dict[str, Any]] | str:
    """What pip-audit says of each package, or why it says nothing."""
    with tempfile.TemporaryDirectory() as place:
        answer = Path(place) / "answer.json"
        asked = [command, "--format", "json", "--output", str(answer), "--progress-spinner", "off", "--path", folder]
        try:
            ended = subprocess.run(asked, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"no answer within {SECONDS} seconds"
        except OSError as error:
            return f"pip-audit cannot be run: {error.strerror}"
        if not answer.exists():
            return (ended.stderr.strip() or "pip-audit wrote nothing").splitlines()[-1][:200]
        packages: list[dict[str, Any]] = json.loads(answer.read_text(encoding="utf-8"))["dependencies"]
    return [package for package in packages if package["name"] not in OURS]


def main(command: str, folder: str) -> int:
    """Print what was found: 1 where it is an advisory."""
    found = audited(command, folder)
    if isinstance(found, str):
        print(f"audit: SKIPPED, the database of advisories cannot be asked: {found}")
        return 0
    # Without a database behind it a package index answers that it knows no package, which is no clean bill.
    known = [package for package in found if "vulns" in package]
    if not known:
        print(f"audit: SKIPPED, the database of advisories knows none of the {len(found)} packages that are installed")
        return 0
    hurt = [(package, advisory) for package in known for advisory in package["vulns"]]
    for package, advisory in hurt:
        mended = ", ".join(advisory["fix_versions"]) or "no version yet"
        print(f"audit: {package['name']} {package['version']} has {advisory['id']}, mended in {mended}")
    unknown = len(found) - len(known)
    print(f"audit: {len(hurt)} advisories against {len(known)} packages; {unknown} are not in the database")
    return int(bool(hurt))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
