/** The body of every answer that is not a success: an object, never empty, never an array. */
import { z } from "zod";

/** Outside the data plane. */
export const Failure = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type Failure = z.infer<typeof Failure>;

/** On `/rest/v1`: PostgREST's shape, which its clients parse. */
export const DataPlaneFailure = z.object({
  code: z.string(),
  message: z.string(),
  details: z.string().nullable(),
  hint: z.string().nullable(),
});
export type DataPlaneFailure = z.infer<typeof DataPlaneFailure>;
