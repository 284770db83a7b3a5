import { wrongHostResult } from '../../lib/access'
import { isFunction } from '../../lib/config'
import type { Extension } from '../../lib/http'
import { replaceFileUrls, type ShownFile, showsFiles } from './replace-file-urls'

export type { ShownFile } from './replace-file-urls'

/** Returns the URL that replaces the stored URL of a file. */
export type FileUrlFunction = (file: ShownFile) => string | Promise<string>

const name = 'fileUrls'

const noFunction = {
  where: name,
  problem: 'the argument of fileUrls() must be a function',
  remedy: 'write fileUrls((file) => url)',
}

function checkUrl(url: unknown): string {
  if (typeof url === 'string') return url
  throw wrongHostResult(name, url, 'return a string, or a promise of a string')
}

/** Replaces URLs of files, for example by signed URLs. Responses that may contain files are never cached. */
export const fileUrls = (fileUrl: FileUrlFunction): Extension => ({
  name,
  check: () => (isFunction(fileUrl) ? [] : [noFunction]),
  afterRead: (plan) =>
    showsFiles(plan)
      ? (loaded) => replaceFileUrls(loaded, async (file) => checkUrl(await fileUrl(file)))
      : null,
})
