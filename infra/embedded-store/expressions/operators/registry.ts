import type { BuildOperator, ParseContext } from '../expression.js';
import { arithmeticOperators } from './arithmetic.js';
import { arrayOperators } from './arrays.js';
import { conversionOperators } from './conversion.js';
import { dateOperators } from './dates.js';
import { logicOperators } from './logic.js';
import { objectOperators } from './objects.js';
import { overValuesOperators } from './over-values.js';
import { stringOperators } from './strings.js';

/** Operators that MongoDB knows and this store does not support. */
const REFUSED_EXPRESSIONS: ReadonlySet<string> = new Set(
  `$function $accumulator $meta $rand $zip $setField $unsetField $dateFromParts $dateToParts $isoWeekYear $week
  $indexOfBytes $regexFind $regexFindAll $firstN $lastN $minN $maxN $percentile $median $binarySize $bsonSize
  $bitAnd $bitOr $bitXor $bitNot $log $sin $cos $tan $asin $acos $atan $atan2 $sinh $cosh $tanh $asinh $acosh
  $atanh $degreesToRadians $radiansToDegrees $sampleRate $toHashedIndexKey $tsIncrement $tsSecond`.split(
    /\s+/,
  ),
);

/** Every operator by its name. */
const BUILDERS: ReadonlyMap<string, BuildOperator> = new Map<string, BuildOperator>([
  ...arithmeticOperators,
  ...logicOperators,
  ...stringOperators,
  ...arrayOperators,
  ...objectOperators,
  ...conversionOperators,
  ...dateOperators,
  ...overValuesOperators,
]);

/** Knows every operator, no variable and no `$$NOW`: what commands start from. */
export const BASE_CONTEXT: ParseContext = {
  operators: { builders: BUILDERS, refused: REFUSED_EXPRESSIONS },
  variables: new Set(),
  values: new Map(),
  now: Number.NaN,
};
