import { writeFileSync } from 'node:fs';

/** For vitest: writes down the tests that passed only at a second try, so that nobody overlooks them. */
export default class SecondTryReporter {
  #titles = [];

  onTestCaseResult(test) {
    const diagnostic = test.diagnostic();
    if (test.result().state === 'passed' && (diagnostic?.retryCount ?? 0) > 0) {
      this.#titles.push(`${test.module.relativeModuleId} > ${test.fullName}`);
    }
  }

  onTestRunEnd() {
    const path = process.env.ORANGE_SECOND_TRIES;
    if (path !== undefined) writeFileSync(path, JSON.stringify(this.#titles));
  }
}
