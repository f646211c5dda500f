/** A step of a script cannot be done, for a reason that its user can act on. */
export class StepFailed extends Error {
  name = 'StepFailed';
}
