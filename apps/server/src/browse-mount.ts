/** What the server needs of browse: routes under `/api/browse`, which only the person of this machine may read. */
import type { Hono } from "hono";

export type BrowseMount = Hono;
