/**
 * Properties are tried with the same values in every run, so that a run that fails fails again. `PROPERTY_SEED=N` tries
 * others, and `npm run properties` many.
 */
import fc from "fast-check";

const usual = 20_260_101;

fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? usual) });
