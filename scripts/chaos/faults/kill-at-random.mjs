import { actAtRandom } from '../actions.mjs';
import { pause } from '../wait.mjs';

export const killAtRandom = {
  name: 'kill at a random moment',
  group: 'SIGKILL at a random moment',
  strike: async (course) => {
    const acting = [actAtRandom(course), actAtRandom(course)];
    await pause(course.random.below(700));
    await course.daemon.end();
    await Promise.all(acting);
    return true;
  },
};
