import { describeFailure } from '../domain/describe-failure.js';
import { clip, oneLine, wrap } from './display-text.js';
import { BAD, type Line, PLAIN, QUIET, span } from './palette.js';
import type { Connection, FeedState } from './snapshot-feed.js';
import type { UiState } from './ui-state.js';
import type { VisibleTasks } from './visible-tasks.js';

/** What stands where the list would be: a newcomer learns here what to type or press. */
export function emptyLines(input: {
  readonly feed: FeedState;
  readonly ui: Pick<UiState, 'filter' | 'search'>;
  readonly visible: VisibleTasks;
  readonly width: number;
}): readonly Line[] {
  const { feed, ui, visible, width } = input;
  const lines = (texts: readonly string[]): readonly Line[] =>
    texts.flatMap((text) =>
      text === '' ? [[]] : wrap(text, width).map((line): Line => [span(line, PLAIN)]),
    );
  if (feed.snapshot === null) return waitingLines(feed.connection, width);
  if (feed.snapshot.projects.length === 0) {
    return lines([
      'Welcome to orange.',
      '',
      'No project is registered yet. In a git repository, run:',
      '',
      '    orange project add',
      '',
      'and it appears here. ? shows every key, q quits.',
    ]);
  }
  if (visible.folded > 0)
    return lines([`Nothing but ${visible.folded} in the backlog. Press b to show them.`]);
  if (ui.search !== '')
    return lines([
      `No task matches “${oneLine(ui.search)}”.`,
      '',
      'Esc drops the search, f changes the filter.',
    ]);
  if (ui.filter === 'queue')
    return lines(['Nothing waits to be started.', '', 'Q goes back to the tasks.']);
  if (visible.inScope.length > 0)
    return lines([
      `No task is under the filter “${ui.filter}”.`,
      '',
      'Press f for another filter.',
    ]);
  return lines([
    'No tasks yet.',
    '',
    'Press c to create one: give it a branch and a line that says what to do,',
    'and an agent starts on it in a workspace of its own.',
    '',
    '? shows every key.',
  ]);
}

function waitingLines(connection: Connection, width: number): readonly Line[] {
  const failure = connection.kind === 'lost' ? connection.failure : null;
  if (failure === null) return [[span(clip('Waiting for the daemon…', width), QUIET)]];
  const { message, hint } = describeFailure(failure);
  return [
    ...wrap(oneLine(message), width).map((line): Line => [span(line, BAD)]),
    ...(hint === null ? [] : wrap(oneLine(hint), width).map((line): Line => [span(line, QUIET)])),
  ];
}
