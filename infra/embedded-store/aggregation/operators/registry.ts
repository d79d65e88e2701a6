import { arithmeticOperators } from './arithmetic.js';
import { arrayOperators } from './arrays.js';
import { conversionOperators } from './conversion.js';
import { dateOperators } from './dates.js';
import { logicOperators } from './logic.js';
import { objectOperators } from './objects.js';
import type { Build } from './operator.js';
import { overValuesOperators } from './over-values.js';
import { stringOperators } from './strings.js';

/** Operators that MongoDB knows and this store does not support. */
export const REFUSED_EXPRESSIONS: ReadonlySet<string> = new Set(
  `$function $accumulator $meta $rand $zip $setField $unsetField $dateFromParts $dateToParts $isoWeekYear $week
  $indexOfBytes $regexFind $regexFindAll $firstN $lastN $minN $maxN $percentile $median $binarySize $bsonSize
  $bitAnd $bitOr $bitXor $bitNot $log $sin $cos $tan $asin $acos $atan $atan2 $sinh $cosh $tanh $asinh $acosh
  $atanh $degreesToRadians $radiansToDegrees $sampleRate $toHashedIndexKey $tsIncrement $tsSecond`.split(
    /\s+/,
  ),
);

/** The operators by name. */
export const operators: ReadonlyMap<string, Build> = new Map<string, Build>([
  ...arithmeticOperators,
  ...logicOperators,
  ...stringOperators,
  ...arrayOperators,
  ...objectOperators,
  ...conversionOperators,
  ...dateOperators,
  ...overValuesOperators,
]);
