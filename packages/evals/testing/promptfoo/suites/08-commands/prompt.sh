#!/bin/sh
echo "Made from $(printf %s "$1" | tr -d '{}"' | cut -c1-16)"
