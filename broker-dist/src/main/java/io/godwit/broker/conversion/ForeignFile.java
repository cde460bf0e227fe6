package io.godwit.broker.conversion;

import java.nio.file.Path;

/** The broker that a configuration file belongs to. */
public enum ForeignFile {
    BIFROMQ {
        @Override
        Converted convert(Path file, String text, Path to) throws ConversionException {
            return new BifromqConversion(file).convert(text);
        }
    },
    MOSQUITTO {
        @Override
        Converted convert(Path file, String text, Path to) throws ConversionException {
            return new MosquittoConversion(file, to).convert(text);
        }
    };

    /**
     * Reads the file, but writes nothing. Blocks.
     *
     * @param to the directory for the result
     * @throws ConversionException if the file cannot be read, or is no configuration file of that broker
     */
    public Converted convert(Path file, Path to) throws ConversionException {
        return convert(file, SourceText.read(file), to);
    }

    abstract Converted convert(Path file, String text, Path to) throws ConversionException;
}
