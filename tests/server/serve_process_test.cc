// The `serve` command in a process of its own.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "quantgate/v1/report_service.grpc.pb.h"
#include "quantgate/v1/validation_service.grpc.pb.h"
#include "tests/server/process.h"

namespace quantgate {
namespace {

using ::testing::HasSubstr;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class ServeTest : public ::testing::Test {
 protected:
  ServeTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "serve_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    store_ = absl::StrCat("sqlite:", (folder_ / "reports.db").string());
  }
  ~ServeTest() override {
    if (pid_ > 0) Kill(SIGKILL);
    std::filesystem::remove_all(folder_);
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Stdout() const { return ReadFile(folder_ / "out"); }
  std::string Stderr() const { return ReadFile(folder_ / "err"); }

  void Spawn(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"/usr/bin/env", "-u", "XDG_STATE_HOME", absl::StrCat("HOME=", folder_.string()),
                                 QUANTGATE_SERVE_FIXTURE, "serve"});
    pid_ = quantgate::Spawn(std::move(flags), Path("out"), Path("err"));
    ASSERT_GT(pid_, 0);
  }

  // Starts and waits for the first line on standard output.
  void Start(std::vector<std::string> flags) {
    Spawn(std::move(flags));
    const absl::Time end = absl::Now() + absl::Seconds(20);
    while (Stdout().find('\n') == std::string::npos) {
      ASSERT_LT(absl::Now(), end) << Stderr();
      absl::SleepFor(absl::Milliseconds(5));
    }
    const std::string line = Stdout().substr(0, Stdout().find('\n'));
    ASSERT_THAT(line, ::testing::StartsWith("listening on "));
    address_ = line.substr(13);
    channel_ = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
  }

  // The exit code; -signal when it was killed.
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int Kill(int signal) {
    kill(pid_, signal);
    return Wait();
  }
  int Run(std::vector<std::string> flags) {
    Spawn(std::move(flags));
    return Wait();
  }

  grpc::Status Validate(const std::string& graph, v1::Report* report = nullptr,
                        std::shared_ptr<grpc::Channel> channel = nullptr) {
    auto stub = v1::ValidationService::NewStub(channel ? channel : channel_);
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
    v1::ValidateRequest request;
    request.mutable_graph()->set_name(graph);
    request.mutable_options()->set_request_id("id-" + graph);
    v1::ValidateResponse response;
    const grpc::Status status = stub->Validate(&context, request, &response);
    if (report != nullptr) *report = response.report();
    return status;
  }

  std::filesystem::path folder_;
  std::string store_;
  std::string address_;
  std::shared_ptr<grpc::Channel> channel_;
  pid_t pid_ = 0;
};

TEST_F(ServeTest, SigtermDrainsAndExitsZero) {
  for (int signal : {SIGTERM, SIGINT}) {
    Start({"--listen", "127.0.0.1:0", "--store", store_});
    grpc::Status status;
    std::thread client([&] { status = Validate("quarter"); });
    absl::SleepFor(absl::Milliseconds(120));
    EXPECT_EQ(Kill(signal), 0) << Stderr();
    client.join();
    EXPECT_TRUE(status.ok()) << status.error_message();
    std::filesystem::remove(folder_ / "reports.db");
  }
}

// A thread that does not would end the process at once: signals go to any that takes them.
TEST_F(ServeTest, OnlyTheMainThreadTakesThem) {
  Start({"--listen", "127.0.0.1:0", "--store", store_});
  constexpr uint64_t kBoth = uint64_t{1} << (SIGTERM - 1) | uint64_t{1} << (SIGINT - 1);
  int others = 0;
  for (const auto& thread : std::filesystem::directory_iterator(absl::StrCat("/proc/", pid_, "/task"))) {
    if (thread.path().filename() == std::to_string(pid_)) continue;
    const std::string status = ReadFile(thread.path() / "status");
    const size_t at = status.find("SigBlk:");
    if (at == std::string::npos) continue;  // it has ended
    ++others;
    EXPECT_EQ(std::stoull(status.substr(at + 7), nullptr, 16) & kBoth, kBoth) << status;
  }
  EXPECT_GT(others, 0);
  EXPECT_EQ(Kill(SIGTERM), 0);
}

TEST_F(ServeTest, ACheckThatCannotBeCancelledDoesNotKeepTheProcess) {
  Start({"--listen", "127.0.0.1:0", "--store", store_, "--drain-timeout", "0"});
  v1::Report report;
  ASSERT_TRUE(Validate("g", &report).ok());
  std::thread client([&] { EXPECT_FALSE(Validate("stuck").ok()); });
  absl::SleepFor(absl::Milliseconds(200));
  EXPECT_EQ(Kill(SIGTERM), 3);
  EXPECT_THAT(Stderr(), HasSubstr("error[DEADLINE_EXCEEDED]: calls did not end"));
  client.join();
  Start({"--listen", "127.0.0.1:0", "--store", store_});
  v1::Report again;
  ASSERT_TRUE(Validate("g", &again).ok());
  EXPECT_EQ(again.name(), report.name());
}

TEST_F(ServeTest, AReportSurvivesSuddenDeath) {
  Start({"--listen", "127.0.0.1:0", "--store", store_});
  v1::Report report;
  ASSERT_TRUE(Validate("g", &report).ok());
  EXPECT_EQ(Kill(SIGKILL), -SIGKILL);
  Start({"--listen", "127.0.0.1:0", "--store", store_});
  auto stub = v1::ReportService::NewStub(channel_);
  grpc::ClientContext context;
  v1::GetReportRequest request;
  request.set_name(report.name());
  v1::GetReportResponse response;
  const grpc::Status status = stub->GetReport(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.report().SerializeAsString(), report.SerializeAsString());
  v1::Report again;
  ASSERT_TRUE(Validate("g", &again).ok());
  EXPECT_EQ(again.name(), report.name());
}

TEST_F(ServeTest, ClientsThatDieDoNotHarmIt) {
  Start({"--listen", "127.0.0.1:0", "--store", store_, "--max-concurrent", "1"});
  for (int i = 0; i < 3; ++i) {
    // gRPC does not survive fork: the client that dies is one that only connects and sends garbage, or half a request.
    httplib::Client garbage("http://" + address_);
    garbage.set_read_timeout(1);
    (void)garbage.Get("/");
    const std::vector<std::string> parts = absl::StrSplit(address_, ':');
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(parts[1])));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    ASSERT_EQ(write(fd, preface.data(), preface.size()), static_cast<ssize_t>(preface.size()));
    close(fd);
    // And one that goes away in the middle of a check.
    auto channel = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
    auto stub = v1::ValidationService::NewStub(channel);
    grpc::ClientContext context;
    v1::ValidateRequest request;
    request.mutable_graph()->set_name("slow");
    v1::ValidateResponse response;
    std::thread check([&] { (void)stub->Validate(&context, request, &response); });
    absl::SleepFor(absl::Milliseconds(100));
    context.TryCancel();
    check.join();
  }
  EXPECT_TRUE(Validate("g").ok());
  EXPECT_EQ(Kill(SIGTERM), 0);
}

TEST_F(ServeTest, StandardOutputAndLogs) {
  Start({"--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--store", store_});
  EXPECT_EQ(Kill(SIGTERM), 0);
  EXPECT_THAT(Stdout(), ::testing::MatchesRegex("listening on 127.0.0.1:[0-9]+\nmetrics on "
                                                "http://127.0.0.1:[0-9]+/metrics\ndashboard on "
                                                "http://127.0.0.1:[0-9]+/\n"));
  Spawn({"--listen", address_, "--store", store_, "--log-format", "json"});
  channel_ = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
  const absl::Time end = absl::Now() + absl::Seconds(20);
  while (!Validate("g").ok() && absl::Now() < end) absl::SleepFor(absl::Milliseconds(20));
  EXPECT_EQ(Kill(SIGTERM), 0);
  EXPECT_EQ(Stdout(), "");
  EXPECT_THAT(Stderr(), HasSubstr(absl::StrCat(R"("event":"listening","address":")", address_)));
  EXPECT_THAT(Stderr(), HasSubstr(R"("event":"request","method":"ValidationService/Validate","request_id":"id-g",)"
                                  R"("status":"OK")"));
}

TEST_F(ServeTest, DefaultStoreIsInTheHomeFolder) {
  Start({"--listen", "127.0.0.1:0"});
  ASSERT_TRUE(Validate("g").ok());
  EXPECT_EQ(Kill(SIGTERM), 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / ".local/state/quantgate/reports.db"));
}

TEST_F(ServeTest, ConfigurationFileSetsFlagsAndFlagsWin) {
  std::ofstream(Path("c.yaml")) << "# comment\nlisten: 127.0.0.1:0\nstore: none\nmax-nodes: 1\nmax-queue: 7\n";
  Start({"--config", Path("c.yaml")});
  auto stub = v1::ValidationService::NewStub(channel_);
  v1::ValidateRequest request;
  request.mutable_graph()->add_nodes();
  request.mutable_graph()->add_nodes();
  const auto validate = [&] {
    stub = v1::ValidationService::NewStub(channel_);
    grpc::ClientContext context;
    v1::ValidateResponse response;
    return stub->Validate(&context, request, &response);
  };
  EXPECT_THAT(validate().error_message(), HasSubstr("max_nodes=1"));
  EXPECT_EQ(Kill(SIGTERM), 0);
  Start({"--config", Path("c.yaml"), "--max-nodes", "2"});
  EXPECT_TRUE(validate().ok());
}

struct BadConfig {
  const char* text;
  const char* message;
};

TEST_F(ServeTest, ConfigurationErrorsNameThePlace) {
  for (const BadConfig& bad : std::vector<BadConfig>{
           {"listen: 127.0.0.1:0\nmax-node: 3\n", "c.yaml:2: unknown key 'max-node'; did you mean max-nodes"},
           {"config: other.yaml\n", "c.yaml:1: unknown key 'config'\n"},
           {"\nlisten:\n\n", "c.yaml:2: 'listen' takes a single value"},
           {"tls-cert: ''\n", "c.yaml:1: 'tls-cert' takes a single value"},
           {"http-name: {a: b}\n", "c.yaml:1: 'http-name' takes a value or a list of them"},
           {"http-name: [a.example, [b]]\n", "c.yaml:1: 'http-name' takes a value or a list of them"},
           {"http-name: 'a.example,b.example'\n", "c.yaml:1: 'http-name': "},
           {"http-name: 'a.example:8443'\n", "'a.example:8443' must be a host name alone: it holds for any port"},
           {"http-name: [a.example, b.example]\n", "--http, which is not given"},
           {"max-nodes: many\n", "c.yaml:1: 'max-nodes': "},
           {"max-nodes: 0\n", "c.yaml:1: 'max-nodes': "},
           {"log-format: xml\n", "c.yaml:1: 'log-format': "},
           {"max-nodes: [1, 2]\n", "c.yaml:1: 'max-nodes' takes a single value"},
           {"max-nodes: 1\nmax-nodes: 2\n", "c.yaml:2: 'max-nodes' is set twice"},
           {"- a\n", "c.yaml:1: must be a map"},
           {"a: [\n", "c.yaml:2: "},
           {"listen: 127.0.0.1:0\n---\nmax-nodes: 1\n", "c.yaml:3: a second document; a file holds one"}}) {
    std::ofstream(Path("c.yaml")) << bad.text;
    EXPECT_EQ(Run({"--config", Path("c.yaml")}), 2) << bad.text;
    EXPECT_THAT(Stderr(), ::testing::StartsWith("error[INVALID_ARGUMENT]: ")) << bad.text;
    EXPECT_THAT(Stderr(), HasSubstr(bad.message)) << bad.text;
  }
  EXPECT_EQ(Run({"--config", Path("missing.yaml")}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("cannot be read"));
}

TEST_F(ServeTest, FlagsThatCannotBeMetEndItClearly) {
  EXPECT_EQ(Run({"--listen", "0.0.0.0:0", "--store", "none"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--insecure"));
  EXPECT_EQ(Run({"--listen", "nowhere", "--store", "none"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--listen: 'nowhere' is not an address"));
  EXPECT_EQ(Run({"--store", "postgresql://127.0.0.1:1/d"}), 3);
  EXPECT_THAT(Stderr(), HasSubstr("error[UNAVAILABLE]: report store postgresql://127.0.0.1/d: "));
  EXPECT_EQ(Run({"--store", "none", "--retain", "90"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--retain: '90' is no age such as 12h, 90d or 8w"));
  EXPECT_EQ(Run({"--store", "none", "--retain", "90d"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--store none keeps none"));
  EXPECT_EQ(Run({"--store", "none", "--http-name", "gate.example.com"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--http, which is not given"));
  EXPECT_EQ(Run({"--tables", "/no/such.db", "--store", "none"}), 2);
  for (const std::string flag : {"--drain-timeout", "--max-stream-idle"}) {
    EXPECT_NE(Run({"--store", "none", flag, "nan"}), 0);
    EXPECT_THAT(Stderr(), HasSubstr(flag + ": nan is no number"));
  }
  std::ofstream(Path("nan.yaml")) << "drain-timeout: nan\n";
  EXPECT_EQ(Run({"--store", "none", "--config", Path("nan.yaml")}), 2);
  EXPECT_EQ(Run({"--tls-cert", "x", "--store", "none"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("come together"));
  EXPECT_EQ(Run({"--tls-cert", "/no", "--tls-key", "/no", "--store", "none"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("cannot read a PEM file"));
  std::ofstream(Path("reports.db")) << std::string(4096, 'x');
  EXPECT_EQ(Run({"--listen", "127.0.0.1:0", "--store", store_}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("error[DATA_LOSS]"));
  EXPECT_EQ(ReadFile(folder_ / "reports.db"), std::string(4096, 'x'));
  std::filesystem::remove(folder_ / "reports.db");
  Start({"--listen", "127.0.0.1:0", "--store", store_});
  EXPECT_EQ(Kill(SIGTERM), 0);
  EXPECT_EQ(Run({"--listen", "127.0.0.1:0", "--store", store_ + "?mode=ro", "--retain", "1d"}), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--store may only be read"));
  Start({"--listen", "127.0.0.1:0", "--store", "none"});
  const pid_t first = pid_;
  EXPECT_EQ(Run({"--listen", address_, "--store", "none"}), 3);
  EXPECT_THAT(Stderr(), HasSubstr(absl::StrCat("cannot listen on ", address_, ": Address already in use")));
  EXPECT_EQ(Run({"--listen", "127.0.0.1:0", "--http", address_, "--store", "none"}), 3);
  EXPECT_THAT(Stderr(), HasSubstr(absl::StrCat("http: cannot listen on ", address_, ": Address already in use")));
  EXPECT_EQ(Run({"--listen", "192.0.2.1:0", "--insecure", "--store", "none"}), 3);  // of nobody's (RFC 5737)
  EXPECT_THAT(Stderr(), HasSubstr("cannot listen on 192.0.2.1:0: Cannot assign requested address"));
  pid_ = first;
}

TEST_F(ServeTest, TlsWithAndWithoutClientCertificates) {
  const auto make = [&](const std::string& name) {
    return std::system(absl::StrCat("openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext "
                                    "subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout ",
                                    Path(name + ".key"), " -out ", Path(name + ".pem"), " 2>/dev/null")
                           .c_str());
  };
  ASSERT_EQ(make("server"), 0);
  ASSERT_EQ(make("client"), 0);
  ASSERT_EQ(make("stranger"), 0);
  const auto channel = [&](const std::string& client) {
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = ReadFile(folder_ / "server.pem");
    if (!client.empty()) {
      ssl.pem_cert_chain = ReadFile(folder_ / (client + ".pem"));
      ssl.pem_private_key = ReadFile(folder_ / (client + ".key"));
    }
    return grpc::CreateChannel(address_, grpc::SslCredentials(ssl));
  };
  // All addresses are allowed with TLS.
  Start(
      {"--listen", "0.0.0.0:0", "--store", "none", "--tls-cert", Path("server.pem"), "--tls-key", Path("server.key")});
  address_ = absl::StrCat("127.0.0.1", address_.substr(address_.rfind(':')));
  EXPECT_TRUE(Validate("g", nullptr, channel("")).ok());
  EXPECT_FALSE(Validate("g", nullptr, grpc::CreateChannel(address_, grpc::InsecureChannelCredentials())).ok());
  EXPECT_EQ(Kill(SIGTERM), 0);

  // HTTP, which has none, must be wanted.
  std::vector<std::string> open = {"--listen", "0.0.0.0:0",  "--http",           "0.0.0.0:0", "--store",
                                   "none",     "--tls-cert", Path("server.pem"), "--tls-key", Path("server.key")};
  EXPECT_EQ(Run(open), 2);
  EXPECT_THAT(Stderr(), HasSubstr("or --insecure if that is meant: gRPC keeps its TLS"));
  open.push_back("--insecure");
  Start(open);
  address_ = absl::StrCat("127.0.0.1", address_.substr(address_.rfind(':')));
  EXPECT_TRUE(Validate("g", nullptr, channel("")).ok());
  EXPECT_FALSE(Validate("g", nullptr, grpc::CreateChannel(address_, grpc::InsecureChannelCredentials())).ok());
  EXPECT_EQ(Kill(SIGTERM), 0);
  open[3] = "127.0.0.1:0";
  EXPECT_EQ(Run(open), 2);
  EXPECT_THAT(Stderr(), HasSubstr("--insecure contradicts --tls-cert"));

  Start({"--listen", "127.0.0.1:0", "--store", "none", "--tls-cert", Path("server.pem"), "--tls-key",
         Path("server.key"), "--tls-client-ca", Path("client.pem")});
  EXPECT_TRUE(Validate("g", nullptr, channel("client")).ok());
  EXPECT_FALSE(Validate("g", nullptr, channel("stranger")).ok());
  EXPECT_FALSE(Validate("g", nullptr, channel("")).ok());
  EXPECT_EQ(Kill(SIGTERM), 0);

  EXPECT_EQ(Run({"--listen", "127.0.0.1:0", "--store", "none", "--tls-cert", Path("server.pem"), "--tls-key",
                 Path("client.key")}),
            2);
  EXPECT_THAT(Stderr(), HasSubstr(absl::StrCat("--tls-key: '", Path("client.key"), "' is not the key")));
  EXPECT_EQ(Run({"--listen", "127.0.0.1:0", "--store", "none", "--tls-cert", Path("server.key"), "--tls-key",
                 Path("server.pem")}),
            2);
  EXPECT_THAT(Stderr(), HasSubstr(absl::StrCat("--tls-cert: '", Path("server.key"), "' has no certificate")));
  std::ofstream(Path("bad.pem")) << "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  EXPECT_EQ(Run({"--listen", "127.0.0.1:0", "--store", "none", "--tls-cert", Path("server.pem"), "--tls-key",
                 Path("server.key"), "--tls-client-ca", Path("bad.pem")}),
            2);
  EXPECT_THAT(Stderr(), HasSubstr(absl::StrCat("--tls-client-ca: '", Path("bad.pem"), "' has no certificate")));
}

}  // namespace
}  // namespace quantgate
