#!/usr/bin/env bash
# Gradescope runs this once, when the autograder's image is built.
set -euo pipefail
base=${AUTOGRADER:-/autograder}
cd "$base/source"

if command -v apt-get >/dev/null; then
  apt-get update -q
  apt-get install -y -q --no-install-recommends python3 python3-venv bubblewrap libseccomp2
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "The grader needs Python 3.11 or newer: choose a newer image in Gradescope." >&2
  exit 1
}
# The images have no accelerator, so PyTorch's small build for CPUs is enough.
export PIP_EXTRA_INDEX_URL=${PIP_EXTRA_INDEX_URL:-https://download.pytorch.org/whl/cpu}
python3 -m venv "$base/python"
"$base/python/bin/python" -m pip install --quiet -c constraints.txt -r requirements.txt
