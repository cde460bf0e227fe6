package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.godwit.testing.Await;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Looks at the process of a broker that was started with {@code -XX:NativeMemoryTracking=summary}, through its
 * management agent and {@code /proc}. Used by one thread at a time.
 */
final class Probe implements AutoCloseable {
    private static final Pattern OTHER = Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB\\)");
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MIB = 1 << 20;

    private final Path process;
    private final JMXConnector connector;
    private final MBeanServerConnection beans;
    private final MemoryMXBean memory;

    @SuppressWarnings("BanJNDI") // the address is that of a process of the test's own
    Probe(ProcessHandle broker) throws IOException {
        process = Path.of("/proc", Long.toString(broker.pid()));
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(broker.pid()));
            try {
                connector = JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException(e);
        }
        beans = connector.getMBeanServerConnection();
        memory = ManagementFactory.newPlatformMXBeanProxy(
                beans, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
    }

    /** Without a collection, which takes time. */
    long resident() throws IOException {
        return 1024L * number(RESIDENT, Files.readString(process.resolve("status")));
    }

    Vitals vitals() throws IOException {
        memory.gc();
        int files = 0;
        int sockets = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path each : all) {
                if (isSocket(each)) {
                    sockets++;
                } else {
                    files++;
                }
            }
        }
        int threads = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path ignored : all) {
                threads++;
            }
        }
        return new Vitals(memory.getHeapMemoryUsage().getUsed(), direct(), resident(), threads, files, sockets);
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    long direct() throws IOException {
        try {
            Object report = beans.invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "vmNativeMemory",
                    new Object[] {new String[] {"summary"}},
                    new String[] {String[].class.getName()});
            return 1024L * number(OTHER, report.toString());
        } catch (JMException e) {
            throw new IOException(e);
        }
    }

    private static long number(Pattern pattern, String text) throws IOException {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IOException(pattern + " is not in: " + text);
        }
        return Long.parseLong(matcher.group(1));
    }

    /** Waits until nearly all is back; fails when it does not come. Returns what is there then. */
    Vitals returnedTo(Vitals before) throws IOException {
        Await looks = Await.atMost(PATIENCE);
        Vitals now = vitals();
        while (!isNearly(now, before) && looks.again()) { // a look costs the broker a full collection
            now = vitals();
        }
        assertThat(isNearly(now, before)).as("before: %s; now: %s", before, now).isTrue();
        return now;
    }

    /**
     * Pools keep some threads, and buffers in proportion to the cores; the stores open files as they write. Sockets are
     * all to be gone, those of this probe's own connections, which come and go, included.
     */
    private static boolean isNearly(Vitals now, Vitals before) {
        return now.heap() <= before.heap() + 16 * MIB
                && now.direct() <= before.direct() + 32 * MIB
                && now.threads() <= before.threads() + 12
                && now.files() <= before.files() + 60
                && now.sockets() <= before.sockets();
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
