/**
 * Imported first. zod compiles object parsers with `new Function` where it may; under our content policy even asking is reported as a
 * violation, and it asks when a schema is made, so it has to be told before the first contract loads.
 */
import { config } from "zod";

config({ jitless: true });
