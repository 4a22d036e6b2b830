"""Real transformers architectures with tiny, seeded, random weights: nothing is downloaded."""
import torch
import transformers

IMAGE = (1, 3, 32, 32)


class Outputs(torch.nn.Module):
    """Gives the tensors of a transformers model, without its dictionary of results."""

    def __init__(self, model, **fixed):
        super().__init__()
        self.model, self.fixed = model, fixed

    def forward(self, value):
        return self.model(value, **self.fixed)[0]


def build(model, config, **fixed):
    torch.manual_seed(0)
    config._attn_implementation = 'eager'
    return Outputs(model(config).eval(), return_dict=False, **fixed).eval()


def tokens(length=8):
    return (torch.arange(length).reshape(1, length) % 7,)


def image():
    return (torch.linspace(-1, 1, 3 * 32 * 32).reshape(IMAGE),)


def bert():
    config = transformers.BertConfig(vocab_size=64, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                                     intermediate_size=32, max_position_embeddings=16)
    return build(transformers.BertModel, config), tokens()


def distilbert():
    config = transformers.DistilBertConfig(vocab_size=64, dim=16, n_layers=1, n_heads=2, hidden_dim=32,
                                           max_position_embeddings=16)
    return build(transformers.DistilBertModel, config), tokens()


def gpt2():
    config = transformers.GPT2Config(vocab_size=64, n_embd=16, n_layer=1, n_head=2, n_positions=16, use_cache=False)
    return build(transformers.GPT2Model, config, use_cache=False), tokens()


def t5_encoder():
    config = transformers.T5Config(vocab_size=64, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2)
    return build(transformers.T5EncoderModel, config), tokens()


def vit():
    config = transformers.ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
                                    image_size=32, patch_size=8)
    return build(transformers.ViTModel, config), image()


def clip_vision():
    config = transformers.CLIPVisionConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                                           intermediate_size=32, image_size=32, patch_size=8)
    return build(transformers.CLIPVisionModel, config), image()


def resnet():
    config = transformers.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type='basic')
    return build(transformers.ResNetModel, config), image()


def mobilenet_v2():
    config = transformers.MobileNetV2Config(depth_multiplier=0.25, min_depth=8, image_size=32)
    return build(transformers.MobileNetV2Model, config), image()


def whisper_encoder():
    config = transformers.WhisperConfig(d_model=16, encoder_layers=1, encoder_attention_heads=2, encoder_ffn_dim=32,
                                        num_mel_bins=8, max_source_positions=16, decoder_layers=1,
                                        decoder_attention_heads=2, decoder_ffn_dim=32, vocab_size=64,
                                        pad_token_id=0)
    torch.manual_seed(0)
    config._attn_implementation = 'eager'
    encoder = transformers.WhisperModel(config).encoder.eval()
    return Outputs(encoder, return_dict=False).eval(), (torch.linspace(-1, 1, 256).reshape(1, 8, 32),)


ALL = {make.__name__: make for make in (bert, distilbert, gpt2, t5_encoder, vit, clip_vision, resnet, mobilenet_v2,
                                        whisper_encoder)}


def export(name, strict=True):
    """A fresh graph, and example inputs."""
    model, inputs = ALL[name]()
    with torch.no_grad():
        return torch.export.export(model, inputs, strict=strict).module(check_guards=False), inputs
