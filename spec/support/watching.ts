import type { Extension, ObservedEvent, RequestStart } from '../../lib'

type OnEvent = (event: ObservedEvent, start: RequestStart) => void

/** An extension that passes on the events of all requests. With `meta`, all responses have these members. */
export const watching = (on: OnEvent, meta?: object): Extension => ({
  name: 'watching',
  observe: {
    addsMeta: meta !== undefined,
    follow: () => (start) => ({
      on: (event) => {
        on(event, start)
      },
      ...(meta === undefined ? {} : { addMeta: () => Promise.resolve(() => meta) }),
    }),
  },
})

/** Called with the SQL of each statement once its rows are there. */
export const watchingSql = (onSql: (sql: string) => void): Extension =>
  watching((event) => {
    if (event.kind === 'statement') onSql(event.statement.sql)
  })
