package io.godwit.broker.admin.command;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Printable;
import io.godwit.broker.conversion.ConversionException;
import io.godwit.broker.conversion.Converted;
import io.godwit.broker.conversion.ForeignFile;
import io.godwit.broker.conversion.Note;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code config import}: works without a node. */
@Command(
        name = "import",
        description = {
            "Converts the configuration file of another broker, and tells what became of each line.",
            "The exit code is 8 if something was left out or is left to do."
        })
public final class ImportCommand implements Callable<Integer> {
    private final NodeInvocation admin;

    @Option(names = "--from", required = true, paramLabel = "BROKER", description = "bifromq or mosquitto")
    private ForeignFile from = ForeignFile.MOSQUITTO;

    @Option(
            names = "--to",
            paramLabel = "FILE",
            defaultValue = "standalone.yml",
            description = "what to write, which must not be there yet (default: standalone.yml)")
    private Path to = Path.of("standalone.yml");

    @Parameters(paramLabel = "FILE", description = "standalone.yml or mosquitto.conf")
    private Path file = Path.of("");

    public ImportCommand(NodeInvocation admin) {
        this.admin = admin;
    }

    private record Line(int line, String key, String outcome, String text) {
        static Line of(Note note) {
            return new Line(note.line(), note.key(), note.outcome().word(), Printable.of(note.text()));
        }
    }

    private record Lines(List<String> files, List<Line> lines) {}

    @Override
    public Integer call() throws AdminException {
        Converted made;
        Path target = to.toAbsolutePath().normalize();
        try {
            made = from.convert(file, target.resolveSibling(""));
        } catch (ConversionException e) {
            throw new AdminException(Kind.REFUSED, Printable.of(String.valueOf(e.getMessage())), e);
        }
        Map<Path, String> files = new TreeMap<>();
        made.besides().forEach((name, text) -> files.put(target.resolveSibling(name), text));
        files.put(target, made.yaml());
        write(files);
        List<Line> lines = made.notes().stream().map(Line::of).toList();
        if (admin.isJson()) {
            admin.printJson(
                    new Lines(files.keySet().stream().map(Path::toString).toList(), lines));
        } else {
            lines.forEach(line -> admin.out()
                    .println((line.line() == 0 ? "" : "line " + line.line() + ": ") + Printable.of(line.key()) + ": "
                            + line.outcome() + ": " + line.text()));
            files.keySet().forEach(each -> admin.out().println("written: " + each));
        }
        return made.isWhole() ? 0 : Kind.INCOMPLETE.exitCode();
    }

    /** Writes nothing if one of the files exists. Creates their directory, which is the same for all. */
    private static void write(Map<Path, String> files) throws AdminException {
        for (Path each : files.keySet()) {
            if (Files.exists(each)) {
                throw new AdminException(Kind.REFUSED, each + " is there already: choose another directory with --to");
            }
        }
        for (Map.Entry<Path, String> each : files.entrySet()) {
            try {
                Files.createDirectories(each.getKey().resolveSibling(""));
                Files.createFile(
                        each.getKey(),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                Files.writeString(each.getKey(), each.getValue(), StandardCharsets.UTF_8, StandardOpenOption.WRITE);
            } catch (FileAlreadyExistsException e) {
                throw new AdminException(Kind.REFUSED, each.getKey() + " is there already", e);
            } catch (IOException e) {
                throw new AdminException(Kind.FAILED, each.getKey() + " cannot be written: " + e, e);
            }
        }
    }
}
