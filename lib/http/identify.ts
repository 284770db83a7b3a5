import type { Request } from 'express'
import { type Identity, isPromise, rolesOfHostAnswer } from '../access'
import type { AskState } from '../freshness'
import { unauthorized } from '../errors'
import type { Content } from './content'
import { readAgain, whileBusy } from '../load'
import { raiseLoadError } from './errors'
import { inTime } from './in-time'

export type Identify = (req: Request, state: AskState) => Promise<Identity>

function identityOf(answer: unknown): Identity | null {
  const answered = rolesOfHostAnswer(answer)
  return answered === null ? null : { kind: 'roles', ...answered }
}

/** What goes wrong in the host's function is the host's to answer; what goes wrong with our database is ours. */
function identifier({
  settings,
  database,
}: Content): (req: Request, state: AskState) => Promise<Identity | null> {
  const { role } = settings
  // At once: a host may fill one object for each request anew.
  const read = (answer: unknown): Identity | null | PromiseLike<Identity | null> =>
    isPromise(answer) ? Promise.resolve(answer).then(identityOf) : identityOf(answer)
  if (typeof role === 'function') return async (req) => inTime(read(role(req)), settings.timeout)
  const identify = role.open(database)
  return async (req, state) => {
    const now = await state()
    const patience = settings.timeout
    const read = (): Promise<Identity | null> => identify(req.headers, now)
    return whileBusy(() => readAgain(database, read), { patience }).catch(raiseLoadError)
  }
}

export function makeIdentify(content: Content): Identify {
  const identify = identifier(content)
  return async (req, state) => {
    const identity = await identify(req, state)
    if (identity === null) throw unauthorized()
    return identity
  }
}
