;; The inner loop of sample-rate conversion, four multiplications at a time. `resample-kernel.ts` holds it assembled;
;; its test assembles this text again and compares.
(module
  (memory (export "memory") 1)

  ;; Writes `count` 16-bit samples from `output` on. Output n is the sum over `taps` coefficients (a multiple of
  ;; eight) of a phase with as many inputs; the phase goes on by `down`, and every `up` of it are one input.
  ;; All samples and coefficients are 32-bit floats, all addresses are in bytes.
  (func (export "convert")
    (param $input i32) (param $coefficients i32) (param $taps i32) (param $up i32) (param $down i32)
    (param $phase i32) (param $output i32) (param $count i32)
    (local $row i32) (local $sample i32) (local $coefficient i32) (local $rowEnd i32) (local $outputEnd i32)
    (local $even v128) (local $odd v128)
    (local.set $row (i32.shl (local.get $taps) (i32.const 2)))
    (local.set $outputEnd (i32.add (local.get $output) (i32.shl (local.get $count) (i32.const 1))))
    (block $done
      (loop $outputs
        (br_if $done (i32.ge_u (local.get $output) (local.get $outputEnd)))
        (local.set $sample (local.get $input))
        (local.set $coefficient
          (i32.add (local.get $coefficients) (i32.mul (local.get $phase) (local.get $row))))
        (local.set $rowEnd (i32.add (local.get $coefficient) (local.get $row)))
        (local.set $even (v128.const f32x4 0 0 0 0))
        (local.set $odd (v128.const f32x4 0 0 0 0))
        (loop $products
          (local.set $even (f32x4.add (local.get $even)
            (f32x4.mul (v128.load (local.get $sample)) (v128.load (local.get $coefficient)))))
          (local.set $odd (f32x4.add (local.get $odd)
            (f32x4.mul (v128.load offset=16 (local.get $sample)) (v128.load offset=16 (local.get $coefficient)))))
          (local.set $sample (i32.add (local.get $sample) (i32.const 32)))
          (br_if $products (i32.lt_u
            (local.tee $coefficient (i32.add (local.get $coefficient) (i32.const 32)))
            (local.get $rowEnd))))
        (local.set $even (f32x4.add (local.get $even) (local.get $odd)))
        ;; Overshoot is clipped.
        (i32.store16 (local.get $output) (i32.trunc_sat_f32_s (f32.nearest
          (f32.max (f32.const -32768) (f32.min (f32.const 32767)
            (f32.add
              (f32.add (f32x4.extract_lane 0 (local.get $even)) (f32x4.extract_lane 1 (local.get $even)))
              (f32.add (f32x4.extract_lane 2 (local.get $even)) (f32x4.extract_lane 3 (local.get $even)))))))))
        (local.set $output (i32.add (local.get $output) (i32.const 2)))
        (local.set $phase (i32.add (local.get $phase) (local.get $down)))
        (local.set $input (i32.add (local.get $input)
          (i32.shl (i32.div_u (local.get $phase) (local.get $up)) (i32.const 2))))
        (local.set $phase (i32.rem_u (local.get $phase) (local.get $up)))
        (br $outputs)))))
