package io.godwit.it.broker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Linux tells of a process or a thread below {@code /proc}. */
public final class ProcStat {
    /** Of the clock that processor time is counted by; the same on every Linux that a JVM runs on. */
    private static final int TICKS_PER_SECOND = 100;

    private ProcStat() {}

    /**
     * Whether a process has ended, and with it the last of its threads, which may hold files until then.
     * {@code ProcessHandle.isAlive} says so only when its parent has taken note, which may be seconds later for one
     * that has been handed to the first process of the machine, or never.
     */
    static boolean hasEnded(ProcessHandle process) {
        Path directory = Path.of("/proc", Long.toString(process.pid()));
        return !process.isAlive() || "ZX".indexOf(state(directory.resolve("stat"))) >= 0 && isAlone(directory);
    }

    private static boolean isAlone(Path process) {
        String[] threads = process.resolve("task").toFile().list();
        return threads == null || threads.length <= 1; // null when it is gone
    }

    /** The arguments, each with a NUL behind it; empty when there is no such process, or it has ended. */
    static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    /** A letter as in proc(5); X when there is no such process. */
    static char state(Path stat) {
        try {
            String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
            return text.charAt(text.lastIndexOf(')') + 2); // "pid (name) state ..."
        } catch (IOException gone) {
            return 'X';
        }
    }

    /** Time that all threads of a process have used of the processors, in milliseconds. */
    public static long cpuMillis(long pid) throws IOException {
        String text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1); // from the third on
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 1_000 / TICKS_PER_SECOND;
    }

    /** Bytes of memory that a process has, as the system counts them. */
    public static long residentBytes(long pid) throws IOException {
        return number(Path.of("/proc", Long.toString(pid), "status"), "VmRSS:") << 10;
    }

    /** Bytes that a process has had written to disks. */
    public static long writtenBytes(long pid) throws IOException {
        return number(Path.of("/proc", Long.toString(pid), "io"), "write_bytes:");
    }

    private static long number(Path file, String name) throws IOException {
        for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.substring(name.length()).strip().split(" ", -1)[0]);
            }
        }
        throw new IOException(file + " has no " + name);
    }
}
