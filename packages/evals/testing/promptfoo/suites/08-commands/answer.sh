#!/bin/sh
if [ "$1" = second ]; then name=second; shift; else name=first; fi
case "$1" in *break*) echo "broken" >&2; exit 3 ;; esac
echo "$name: $1"
