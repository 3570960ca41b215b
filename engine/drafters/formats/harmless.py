"""Fields of a configuration that no forward of a drafter reads. Only what is listed here is passed over."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Every Hugging Face configuration may carry these. ``auto_map`` names code in the checkpoint: it is never run, the
# modules here take its place.
BOOKKEEPING = _names("""
    _name_or_path name_or_path architectures auto_map model_type transformers_version torch_dtype dtype
    bos_token_id eos_token_id pad_token_id sep_token_id decoder_start_token_id
    use_cache initializer_range attention_dropout hidden_dropout embd_pdrop resid_pdrop
    attn_implementation _attn_implementation _attn_implementation_autoset max_window_layers tie_word_embeddings
    return_dict output_hidden_states output_attentions torchscript pruned_heads is_decoder is_encoder_decoder
    add_cross_attention cross_attention_hidden_size tie_encoder_decoder chunk_size_feed_forward
    id2label label2id problem_type finetuning_task task_specific_params tokenizer_class prefix pretraining_tp
    bad_words_ids begin_suppress_tokens suppress_tokens forced_bos_token_id forced_eos_token_id
    max_length min_length do_sample early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p
    typical_p repetition_penalty length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size
    num_return_sequences output_scores return_dict_in_generate exponential_decay_length_penalty
    remove_invalid_values tf_legacy_loss use_bfloat16 quantization quantization_config
""")

# DeepSpec writes its fields over a copy of the target's configuration. These are of Qwen3.5 and LFM2 targets; the
# drafter's layers are plain Qwen3 layers whatever they say. The last line is of DeepSpec's own training.
INHERITED = _names("""
    sliding_window use_sliding_window attn_output_gate full_attention_interval linear_conv_kernel_dim
    linear_key_head_dim linear_num_key_heads linear_num_value_heads linear_value_head_dim mamba_ssm_dtype
    mtp_num_hidden_layers mtp_use_dedicated_embeddings partial_rotary_factor conv_L_cache conv_bias
    block_auto_adjust_ff_dim block_dim block_ff_dim block_ffn_dim_multiplier block_mlp_init_scale block_multiple_of
    block_norm_eps block_out_init_scale block_use_swiglu block_use_xavier_init full_attn_idxs norm_eps use_pos_enc
    num_anchors confidence_head_alpha
""")

# Beside an unscaled rope: with text alone the three positions of mrope are one, and a drafter's rope is built from its
# whole head whatever the factor says.
TEXT_ONLY = _names("mrope_section mrope_interleaved partial_rotary_factor")

# What the speculators package notes about itself.
PACKAGE = _names("speculators_version has_no_defaults_at_init sub_configs auto_package provenance embed_requires_grad")
