import array
import random
import unittest

from muster._shard import ShardDamaged, decode, encode


def shard(step, state):
    return b"".join(encode(step, state))


class ShardTest(unittest.TestCase):
    STATE = {
        "weights": array.array("d", [1.5, -0.0, float("inf")]),
        "counts": array.array("q", [2**62, -1]),
        "raw": b"\x00\xff",
        "empty": b"",
        "rng": [3, [1, 2, 3], None],
    }

    def test_what_goes_in_comes_out(self):
        self.assertEqual(decode(17, shard(17, self.STATE)), self.STATE)

    def test_another_step_is_refused_with_both_numbers(self):
        with self.assertRaisesRegex(ShardDamaged, "step 17, step 18"):
            decode(18, shard(17, self.STATE))

    def test_a_shard_cut_anywhere_is_refused(self):
        whole = shard(3, self.STATE)
        for length in range(len(whole)):
            with self.subTest(length=length), self.assertRaises(ShardDamaged):
                decode(3, whole[:length])

    def test_bytes_that_are_no_shard_are_refused(self):
        source = random.Random(1)
        for _ in range(500):
            with self.assertRaises(ShardDamaged):
                decode(3, source.randbytes(source.randrange(200)))

    def test_a_state_is_a_copy_not_a_view(self):
        weights = array.array("d", [1.0])
        saved = shard(1, {"weights": weights})
        weights[0] = 2.0
        self.assertEqual(decode(1, saved)["weights"][0], 1.0)

    def test_names_that_could_leave_a_folder_are_refused(self):
        for name in ("../x", "a/b", "", "x" * 201, "ä"):
            with self.subTest(name=name), self.assertRaises(ValueError):
                encode(1, {name: b""})


if __name__ == "__main__":
    unittest.main()
