/**
 * Seeds fast-check, so that a failing run fails again. `PROPERTY_SEED=N` sets another seed, and `npm run properties` tries
 * many.
 */
import fc from "fast-check";

const defaultSeed = 20_260_101;

fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? defaultSeed) });
