#!/usr/bin/env bash
# The house rules (layers, quiet library, headers, formatting, shell scripts) as a test.
set -euo pipefail
exec "$SOURCE/scripts/check"
