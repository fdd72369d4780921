/**
 * Detects the format of a file from its name and first bytes.
 *
 * - `sniff(name, bytes)` the importer for it; throws an error that describes the file and lists the formats.
 * - `importerNamed(id)` the importer with that id.
 */

import { refuse } from "../results/refuse.ts";
import { type Head, readHead } from "./head.ts";
import type { Importer } from "./importer.ts";
import { importers } from "./importers.ts";

export function sniff(name: string, bytes: Uint8Array): Importer {
  const head = readHead(name, bytes);
  const found = importers.find((importer) => importer.recognises(head));
  if (found !== undefined) return found;
  throw refuse(`${name} ${looksLike(head)}. Supported formats: ${titles()}.`, nextFor(head));
}

export function importerNamed(id: string): Importer {
  const found = importers.find((importer) => importer.id === id);
  if (found !== undefined) return found;
  throw refuse(`Unknown format "${id}".`, `Formats: ${importers.map((importer) => importer.id).join(", ")}`);
}

function titles(): string {
  return importers.map((importer) => importer.title).join(", ");
}

function looksLike(head: Head): string {
  switch (head.kind) {
    case "empty":
      return "is empty";
    case "gzip":
      return "is compressed with gzip";
    case "zip":
      return "is a ZIP archive, but not an Inspect log";
    case "sqlite":
    case "binary":
      return "is a binary file of an unknown format";
    case "xml":
      return "is XML, but has no <testsuite>, so it is not JUnit";
    case "text":
      return "is text, but neither JSON, XML nor CSV with a title row";
    case "json":
    case "json-lines": {
      const members = [...head.members].filter((member) => !member.includes(".")).slice(0, 8);
      const shown =
        members.length === 0 ? "no members" : members.map((member) => `"${member.slice(0, 40)}"`).join(", ");
      return `is JSON, but not from a supported eval tool (it starts with ${shown})`;
    }
  }
}

function nextFor(head: Head): string {
  if (head.kind === "gzip") return `Unpack it: gunzip ${head.name}`;
  if (head.kind === "empty") return "Wait until the tool has written its results.";
  return "Set the format: devflow eval push --as <format> <file>; formats are in docs/eval-formats.md";
}
