import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import { version } from '../../lib/http/version'
import { library } from '../support/library'

const database = { client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true }

const faultOf = (options: object): (() => unknown) => {
  const config = { contentTypes: library, database, ...options } as ContentRouterConfig
  return () => contentRouter(config)
}

describe('the options of cache and headers', () => {
  it.each([
    [{ cache: true }, 'cache: is neither false nor an object'],
    [{ cache: [] }, 'cache: is neither false nor an object'],
    [{ cache: { maxBytes: 0 } }, 'cache.maxBytes: is not a whole number from 1 on'],
    [{ cache: { maxEntries: Infinity } }, 'cache.maxEntries: is not a whole number from 1 on'],
    [{ cache: { freshness: 'soon' } }, `cache.freshness: is neither 'strict' nor a number of milliseconds`],
    [{ cache: { freshness: 0 } }, `cache.freshness: is neither 'strict' nor a number of milliseconds`],
    [{ cache: { compress: 'br' } }, 'cache.compress: is neither true nor false'],
    [{ cache: { maxByte: 1 } }, 'cache.maxByte: there is no such option (did you mean maxBytes?)'],
    [{ etag: 'weak' }, 'etag: is neither true nor false'],
    [{ headers: { boook: {} } }, 'headers.boook: there is no type boook (did you mean book?)'],
    [{ headers: { book: { cacheControl: 'public, max-age=1' } } }, 'says public or private'],
    [{ headers: { book: { cacheControl: 'max-age=1\r\nSet-Cookie: a=b' } } }, 'is no text of directives'],
    [{ headers: { book: { vary: 'Cookie' } } }, 'headers.book.vary: is no list of names of headers'],
    [{ headers: { book: { varies: [] } } }, 'headers.book.varies: there is no such option'],
  ])('are refused when they mean nothing: %j', (options, words) => {
    expect(faultOf(options)).toThrow(words)
  })
})

describe('the version that tags are made with', () => {
  it('is that of the package', () => {
    const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')
    expect(version).toBe((JSON.parse(text) as { version: string }).version)
  })
})
