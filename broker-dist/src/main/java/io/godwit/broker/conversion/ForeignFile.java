package io.godwit.broker.conversion;

import java.nio.file.Path;

/** Whose configuration file it is. */
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
     * Reads the file and writes nothing. Blocks.
     *
     * @param to the directory that the result is to lie in
     * @throws ConversionException if the file cannot be read, or is no such file
     */
    public Converted convert(Path file, Path to) throws ConversionException {
        return convert(file, SourceText.read(file), to);
    }

    abstract Converted convert(Path file, String text, Path to) throws ConversionException;
}
