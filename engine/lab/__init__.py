"""The lab answers, with evidence, whether speculation is lossless, where its gain comes from and when it vanishes."""
