import { urlOfHostAnswer } from '../access'
import type { FileUrlFunction } from '../config'
import type { LoadedAnswer, Stop } from '../load'
import { replaceFileUrls } from '../shape'
import { HostError } from './host-error'

/** Has the host say with which addresses an answer shows its files. */
export type ShowFileUrls = (loaded: LoadedAnswer, stop: Stop) => Promise<void>

/** What fails is the host's, and no answer shows an address that the host did not give. */
export function showFileUrls(fileUrl: FileUrlFunction | undefined): ShowFileUrls {
  if (fileUrl === undefined) return () => Promise.resolve()
  return async (loaded, stop) => {
    const shown = replaceFileUrls(loaded, async (file) => urlOfHostAnswer(await fileUrl(file))).catch(
      (error: unknown) => {
        throw new HostError(error)
      },
    )
    await Promise.race([shown, stop.stopped])
  }
}
