/** Which nodes a person can act on. Pure. */
import type { PageRef } from "../page-world/questions.ts";
import type { PageNode } from "./page-tree.ts";

const interactiveRoles = new Set([
  "button",
  "checkbox",
  "clickable",
  "combobox",
  "link",
  "listbox",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "scrollbar",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "tab",
  "textbox",
  "treeitem",
]);

const fieldRoles = new Set(["textbox", "searchbox", "combobox", "spinbutton", "slider"]);

export function isInteractive(node: PageNode, editables: ReadonlySet<PageRef>): boolean {
  if (interactiveRoles.has(node.role)) return true;
  return node.ref !== undefined && (node.hasPointerCursor || editables.has(node.ref));
}

/** Its text is a value that was typed or chosen. */
export const isField = (node: PageNode): boolean => isFieldRole(node.role);

export const isFieldRole = (role: string): boolean => fieldRoles.has(role);
