/** The configuration of orange's own terminal server; the user's is never read. */
export const TMUX_CONF = `set -s exit-empty off
set -s exit-unattached off
set -s escape-time 10
set -s extended-keys on
set -s focus-events on
set -s set-clipboard external
set -g default-terminal screen-256color
if-shell 'infocmp tmux-256color > /dev/null 2>&1' 'set -g default-terminal tmux-256color'
set -g default-size 160x48
set -g destroy-unattached off
set -g detach-on-destroy on
set -g history-limit 10000
set -g mouse on
set -g set-titles off
set -g update-environment ''
set -g window-size latest
set -g remain-on-exit off
set -g allow-rename off
set -g automatic-rename off
set -g status on
set -g status-interval 0
set -g status-style 'bg=colour236,fg=colour252'
set -g status-left ' orange  #{session_name} '
set -g status-left-length 80
set -g status-right ' leave: Ctrl-b #{?#{||:#{m:tmux*,#{client_termname}},#{m:screen*,#{client_termname}}},(twice in tmux) ,}d '
set -g status-right-length 40
set -g window-status-format ' #{window_name} '
set -g window-status-current-format '#[fg=colour214,bold] #{window_name} '
`;
