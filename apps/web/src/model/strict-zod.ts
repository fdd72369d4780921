/**
 * Must be imported first. zod compiles object parsers with `new Function` where that is allowed. Under our content security policy
 * even its test for that is reported as a violation, and it runs when a schema is created: so it is turned off before the first
 * schema loads.
 */
import { config } from "zod";

config({ jitless: true });
