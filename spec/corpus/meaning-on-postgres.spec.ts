import { replayMeaning } from './replay-meaning'

replayMeaning('postgres')
