import { createHmac } from 'node:crypto'
import { fromDatabase, strapi5, strapiAuth } from '../../extensions/strapi'
import { contentRouter, type ContentRouter, type ContentRouterConfig } from '../../lib'
import type { TestDatabase, World } from './databases'
import { recordingOf } from './recordings'

/** What tokens of users are signed with. */
export const jwtSecret = 'the secret of the user tokens'
export const apiTokenSalt = 'the salt of the api tokens'

/** As Strapi keeps an API token. */
export const keyOfToken = (token: string, salt = apiTokenSalt): string =>
  createHmac('sha512', salt).update(token).digest('hex')

type MakeRouter = (options?: Partial<ContentRouterConfig>) => ContentRouter

/** Routers over the database that Strapi wrote, for those whom its users, roles and tokens let in. */
export const siteOver =
  (world: World, { name }: Pick<TestDatabase, 'name'>): MakeRouter =>
  (options = {}) =>
    world.closing(
      contentRouter({
        extensions: [strapi5()],
        contentTypes: recordingOf(name).contentTypes,
        database: world.config,
        permissions: fromDatabase({ maxAge: 0 }),
        role: strapiAuth({ jwtSecret, apiTokenSalt, maxAge: 0 }),
        ...options,
      }),
    )
