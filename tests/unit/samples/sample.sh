#!/bin/bash
# a comment
set -eu
x=1
for f in *.c; do
  if [ -e "$f" ]; then
    echo "file $f" | sed 's/a/b/' > out
    marker --flag "$x" && true
  fi
done
case $x in 1) echo one ;; *) echo other ;; esac
