package io.godwit.broker.admin;

import static io.godwit.broker.admin.FakeNode.A;
import static io.godwit.broker.admin.FakeNode.B;

import io.godwit.broker.admin.rpc.AdminService;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.LocalRpcServer;
import io.godwit.cluster.rpc.RpcConnection;
import io.grpc.Channel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command connected over RPC to a node in memory, which reaches a second one. */
public final class AdminFixture implements AutoCloseable {
    public final Path data;
    public final FakeNode node;
    public final FakeNode other;
    public String out = "";
    public String err = "";
    private final List<Runnable> opened = new ArrayList<>();

    public AdminFixture(Path data) throws IOException {
        this.data = data;
        node = new FakeNode(A, Files.createDirectories(data.resolve("copies-a")));
        other = new FakeNode(B, Files.createDirectories(data.resolve("copies-b")));
        Path otherFile = data.resolve("other");
        serve(other, id -> null, otherFile);
        RpcConnection toOther = RpcConnection.local(LocalAccess.read(otherFile));
        opened.add(toOther::close);
        Channel channel = toOther.channel();
        serve(node, id -> id.equals(B) ? channel : null, data.resolve(Admin.ACCESS_FILE));
    }

    private void serve(FakeNode served, AdminService.Peers peers, Path file) throws IOException {
        AdminService service = new AdminService(served, served, peers, served);
        opened.add(service::close);
        opened.add(LocalRpcServer.start(List.of(service.definition()), file)::close);
    }

    public int run(String... args) {
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        List<String> all = new ArrayList<>(List.of("--data", data.toString()));
        all.addAll(Arrays.asList(args));
        int code = new Admin(
                        new PrintStream(outBytes, true, StandardCharsets.UTF_8),
                        new PrintStream(errBytes, true, StandardCharsets.UTF_8))
                .run(all.toArray(String[]::new));
        out = outBytes.toString(StandardCharsets.UTF_8);
        err = errBytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    @Override
    public void close() {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).run();
        }
        opened.clear();
    }
}
