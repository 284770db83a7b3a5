import type { ComponentChildren } from 'preact'
import { QueryEditor, type QueryEditorProps } from './query-editor'
import { Refused } from './refused'

export function QueryBox(props: QueryEditorProps): ComponentChildren {
  const { text, fault, isPending, ask, stop } = props
  return (
    <form
      class="query"
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      <QueryEditor {...props} />
      <div class="asking">
        <button type="submit" class="main">
          {isPending ? 'Running…' : 'Run'}
        </button>
        {isPending ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : null}
        <span id="query-keys" class="about">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs, <kbd>Ctrl</kbd> <kbd>Space</kbd> completes
        </span>
      </div>
      {fault === null ? null : <Refused text={text} fault={fault} replace={ask} />}
    </form>
  )
}
