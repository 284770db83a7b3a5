type Done = (error: unknown, connection: unknown) => void

export type AfterCreate = (connection: unknown, done: Done) => void

interface ServerSession {
  query(sql: string, done: (error: unknown) => void): void
}

/** For `pool.afterCreate`, as a pool's owner sets a session, or a server's `init_connect`. */
export const saying =
  (statement: string): AfterCreate =>
  (connection, done) => {
    ;(connection as ServerSession).query(statement, (error) => {
      done(error, connection)
    })
  }
