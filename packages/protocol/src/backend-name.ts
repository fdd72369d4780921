/** The name of a backend, wherever one crosses an edge. */
import { backendPattern } from "@devflow/core/enums";
import { z } from "zod";

export const backendName = z.string().regex(backendPattern, "lower case letters, digits and dashes");
