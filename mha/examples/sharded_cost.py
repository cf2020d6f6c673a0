"""What each device holds, computes and sends, calculated for a large layer."""

# --8<-- [start:example]
b, num_tokens, d_out, num_heads = 8, 4096, 8192, 64
bytes_each = 2  # bfloat16

weights = 4 * d_out**2 * bytes_each  # W_query, W_key, W_value, out_proj; d_in = d_out
scores = b * num_heads * num_tokens**2 * bytes_each
projecting = 4 * 2 * b * num_tokens * d_out**2  # a multiplication and an addition each
attending = 2 * 2 * b * num_tokens**2 * d_out
message = b * num_tokens * d_out * bytes_each  # the output, or the gradient of x

print("devices  weights  scores  sent each way  operations for a byte sent")
for devices in 2, 4, 8:
    own_weights = weights / devices / 2**20
    own_scores = scores / devices / 2**30
    sent = 2 * (devices - 1) * message // devices  # by each device, passed on in a ring
    operations = (projecting + attending) // devices // sent
    print(
        f"{devices:7}  {own_weights:3.0f} MiB {own_scores:3.0f} GiB "
        f"{sent / 2**20:10.0f} MiB {operations:22,}"
    )
# --8<-- [end:example]
