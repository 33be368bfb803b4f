// What a call throws when it fails: the record `call-error` of the contract. Anything else that is thrown is a trap.

/** A failure that leaves nothing behind: what a failed call wrote is dropped. */
export function failure(code, message) {
  return { code, message, details: null, effect: "none", retryAfterMs: null, extras: [] };
}

/** Runs what a host asked for; a mistake of ours becomes a failure that says what it was. */
export function answered(work) {
  try {
    return work();
  } catch (error) {
    throw error instanceof Error ? failure("internal", `${error.name}: ${error.message}`) : error;
  }
}
